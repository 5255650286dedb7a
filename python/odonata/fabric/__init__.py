"""The fabric manager's service: REST, telemetry and live page of a simulated fabric.

The control plane is in Rust and has neither a clock nor a network. This package gives it both:
`store` keeps its log of requests, `plane` orders them and moves the simulated time, `service` has
the routes, and `serving` runs the process.
"""
