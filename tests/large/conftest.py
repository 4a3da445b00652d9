"""A Dask cluster within this process."""

import pytest


@pytest.fixture(scope="session")
def dask():
    """Address of the scheduler."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        dashboard_address=":0",  # a free port
    ) as cluster:
        yield cluster.scheduler_address
