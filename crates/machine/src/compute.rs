//! What a rank computes on, `[node.device]`, and the power of the machine's parts, `[power]`.
//!
//! The time of a computation follows from these rates in `crates/api/src/compute_time.rs`.

use base::Span;

use crate::spec::MachineSpec;

/// Kinds of kernels whose efficiency is stated separately.
pub const KERNELS: [&str; 9] =
    ["stream", "gemm", "stencil", "spmv", "gauss_seidel", "fft", "pair", "tree", "panel"];
/// Precisions of arithmetic.
pub const PRECISIONS: [&str; 4] = ["fp64", "fp32", "fp16", "fp8"];

/// Rates of the unit that one rank computes on: a tile of a GPU, a die, a GPU or a CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputeParams {
    pub name: String,
    /// Units per node.
    pub count: u32,
    /// Peak by precision, flop/s; of matrix units where these exist.
    pub vector: [Option<f64>; PRECISIONS.len()],
    pub matrix: [Option<f64>; PRECISIONS.len()],
    /// Bytes per second of its memory, and between host and unit.
    pub memory_rate: f64,
    pub link_rate: Option<f64>,
    /// Start time of a computation.
    pub launch: Span,
    /// By kernel: the fraction of the bound of the roofline, and the size at which half of it is
    /// reached.
    pub efficiency: [f64; KERNELS.len()],
    pub half_size: [f64; KERNELS.len()],
    /// The fraction for `gemm` by precision.
    pub gemm: [f64; PRECISIONS.len()],
    /// By kernel: relative uncertainty of its rate.
    pub uncertainty: [f64; KERNELS.len()],
    /// Relative standard deviations of speed between units, and between calls.
    pub spread: f64,
    pub jitter: f64,
}

/// Power in watts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PowerParams {
    /// Of a node without its computing units.
    pub node: Option<f64>,
    /// Of a computing unit that idles, and that computes.
    pub unit_idle: f64,
    pub unit_busy: f64,
    pub nic: f64,
    pub switch: f64,
}

impl MachineSpec {
    pub(crate) fn compute(&self) -> Option<ComputeParams> {
        let memory_rate = self.number("node.device.memory_rate")?;
        let rate = |prefix: &str, precision: &str| {
            self.number(&format!("node.device.{prefix}{precision}"))
        };
        let mut vector = PRECISIONS.map(|precision| rate("", precision));
        for at in 1..PRECISIONS.len() {
            vector[at] = vector[at].or(vector[at - 1]);
        }
        let mut matrix = PRECISIONS.map(|precision| rate("matrix_", precision));
        for at in 0..PRECISIONS.len() {
            matrix[at] = matrix[at].or(vector[at]);
        }
        let of = |what: &str, kernel: &str| {
            let path = format!("node.device.{what}.{kernel}");
            if what == "half_size" {
                self.count(&path).map(|n| n as f64)
            } else {
                self.number(&path)
            }
        };
        let of_gemm = of("efficiency", "gemm").expect("has a default");
        let of_gemm_fp16 = of("efficiency", "gemm_fp16").unwrap_or(of_gemm);
        let has_half_size = |kernel: &str| matches!(kernel, "gemm" | "fft");
        Some(ComputeParams {
            name: self.text("node.device.name").into(),
            count: self.count("node.device.count").expect("has a default") as u32,
            vector,
            matrix,
            memory_rate,
            link_rate: self.number("node.device.link_rate").or(self.number("node.gpu_rate")),
            launch: self.span("node.device.launch"),
            efficiency: KERNELS.map(|kernel| of("efficiency", kernel).expect("has a default")),
            half_size: KERNELS.map(|kernel| match has_half_size(kernel) {
                true => of("half_size", kernel).expect("has a default"),
                false => 0.0,
            }),
            gemm: [of_gemm, of_gemm, of_gemm_fp16, of_gemm_fp16],
            uncertainty: KERNELS.map(|kernel| of("uncertainty", kernel).expect("has a default")),
            spread: self.number("node.device.spread").unwrap_or(0.0),
            jitter: self.number("node.device.jitter").unwrap_or(0.0),
        })
    }

    pub(crate) fn power(&self) -> PowerParams {
        let of = |key: &str| self.number(&format!("power.{key}"));
        let or_none = |key: &str| of(key).unwrap_or(0.0);
        PowerParams {
            node: of("node"),
            unit_idle: or_none("unit_idle"),
            unit_busy: or_none("unit_busy"),
            nic: or_none("nic"),
            switch: or_none("switch"),
        }
    }
}
