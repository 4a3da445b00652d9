"""Errors of CUDA, detected without CUDA."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

#: A device of shapes without numbers, for code that must run on any device.
ELSEWHERE = torch.device("meta")


class OneDevice(TorchDispatchMode):
    """Fails if an operation mixes devices; copies and single numbers may."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        leaves = tree_leaves((args, kwargs))
        devices = {
            leave.device for leave in leaves if isinstance(leave, torch.Tensor) and leave.ndim
        }
        assert len(devices) <= 1 or func.overloadpacket is torch.ops.aten.copy_, func
        return func(*args, **(kwargs or {}))
