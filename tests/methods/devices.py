"""Errors of CUDA, detected without CUDA."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

#: PyTorch's device for tensors without values: code that runs on this device runs on any device.
ELSEWHERE = torch.device("meta")


class OneDevice(TorchDispatchMode):
    """Fail if an operation mixes devices, except for copies and single numbers."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        leaves = tree_leaves((args, kwargs))
        devices = {leaf.device for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.ndim}
        assert len(devices) <= 1 or func.overloadpacket is torch.ops.aten.copy_, func
        return func(*args, **(kwargs or {}))
