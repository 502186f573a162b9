"""Whether this machine has the device that an option names."""

from __future__ import annotations


def device_lacks(device: str) -> str:
    """What this process lacks for a device, empty for nothing.

    `device` is torch's name of it (`cpu`, `mps`, `cuda`, `cuda:1`, `xpu:0`). Raises ImportError without torch.
    """
    import torch

    kind, _, number = device.partition(":")
    if kind == "mps":
        return "" if torch.backends.mps.is_available() else "torch finds no MPS here"
    if kind not in ("cuda", "xpu"):
        return ""
    module = getattr(torch, kind, None)
    found = module.device_count() if module is not None and module.is_available() else 0
    if not found:
        return f"torch finds no {kind.upper()} device in this process"
    if number and int(number) >= found:
        there = f"{kind}:0" if found == 1 else f"{kind}:0 to {kind}:{found - 1}"
        return (
            f"there is {there} in this process only (a host process sees its own device, which --vtc-devices chooses)"
        )
    return ""
