//! The time of a computation from the rates of the machine's computing units: a roofline.

use machine::{ComputeParams, InputError, KERNELS, Machine, PRECISIONS, nearest};
use phases::Computation;

/// A computation's time, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComputeTime {
    pub seconds: f64,
    pub limit: &'static str,
    /// Relative uncertainty of the kernel's rate; 0 if the model states the time.
    pub uncertainty: f64,
}

/// Time of a computation on the share of a node that one of `ppn` ranks has.
///
/// The longest of arithmetic, memory and link time, over the kernel's efficiency, plus the start
/// time. A kernel of size n reaches n / (n + h) of its efficiency, with its half size h.
pub fn compute_time(
    of: &Computation,
    machine: &Machine,
    ppn: u32,
) -> Result<ComputeTime, InputError> {
    if let Some(seconds) = of.seconds {
        return Ok(ComputeTime { seconds, limit: "stated", uncertainty: 0.0 });
    }
    let unknown = |at: &str, found: &str, legal: &[&str]| {
        let expected = format!("one of {}", legal.join(", "));
        let near = nearest(found, legal.iter().copied());
        Err(InputError::new(format!("model, compute, {at}"), found, expected).with_hint(near))
    };
    let Some(kernel) = KERNELS.iter().position(|&kernel| kernel == of.kernel) else {
        return unknown("kernel", &of.kernel, &KERNELS);
    };
    let Some(precision) = PRECISIONS.iter().position(|&name| name == of.precision) else {
        return unknown("precision", &of.precision, &PRECISIONS);
    };
    let Some(unit) = &machine.compute else {
        let expected = "a machine file with `[node.device]`, or computation with `seconds`";
        return Err(InputError::new("machine", &machine.name, expected));
    };
    let peak = if of.kernel == "gemm" { unit.matrix } else { unit.vector };
    let Some(peak) = peak[precision].filter(|_| of.flops > 0.0).or(
        // Without flops the peak is not needed.
        (of.flops == 0.0).then_some(1.0),
    ) else {
        let expected = "the key `node.device.fp64` of the machine file";
        return Err(InputError::new("machine", &machine.name, expected));
    };
    let link = match (of.link_bytes > 0.0, unit.link_rate) {
        (false, _) => 0.0,
        (true, Some(rate)) => of.link_bytes / rate,
        (true, None) => {
            let expected = "the key `node.device.link_rate` of the machine file";
            return Err(InputError::new("machine", &machine.name, expected));
        }
    };
    let efficiency = efficiency(unit, kernel, precision, of.size);
    // Ranks that share a unit each have their part of it; a rank with several uses all of them.
    let share = f64::from(unit.count) / f64::from(ppn.max(1));
    let parts = [
        (of.flops / peak / efficiency / share, "flops"),
        (of.bytes / unit.memory_rate / efficiency / share, "memory"),
        (link / share, "link"),
    ];
    let longest = parts.into_iter().fold(parts[0], |a, b| if b.0 > a.0 { b } else { a });
    // The rate of the link does not depend on the kernel.
    let uncertainty = if longest.1 == "link" { 0.0 } else { unit.uncertainty[kernel] };
    let seconds = longest.0 + unit.launch.seconds();
    Ok(ComputeTime { seconds, limit: longest.1, uncertainty })
}

fn efficiency(unit: &ComputeParams, kernel: usize, precision: usize, size: f64) -> f64 {
    let half = unit.half_size[kernel];
    let whole = match KERNELS[kernel] {
        "gemm" => unit.gemm[precision],
        _ => unit.efficiency[kernel],
    };
    let of_size = if size > 0.0 && half > 0.0 { size / (size + half) } else { 1.0 };
    whole * of_size
}
