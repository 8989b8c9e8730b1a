"""A task's share of the roofline compares its kernels: fewer cores or more traffic never have a larger one."""

import numpy as np
import pytest

from akgen.knowledge.chip import DEFAULT_CHIP, chip
from akgen.tools.core.call import Call, OutputMeta, TensorMeta
from akgen.tools.core.dtypes import DType
from akgen.tools.twin.launch import must

TILES = 480
DOUBLE = """
    constexpr uint32_t TILE = 2048;
    TQue<QuePosition::VECIN, 1> qin;
    TQue<QuePosition::VECOUT, 1> qout;
    pipe.InitBuffer(qin, 2, TILE * 4);
    pipe.InitBuffer(qout, 2, TILE * 4);
    for (uint32_t i = GetBlockIdx(); i < %d; i += GetBlockNum()) {
        for (uint32_t again = 0; again < %d; ++again) {
            LocalTensor<T> a = qin.AllocTensor<T>();
            DataCopy(a, in[i * TILE], TILE);
            qin.EnQue(a);
            a = qin.DeQue<T>();
            if (again + 1 == %d) {
                LocalTensor<T> b = qout.AllocTensor<T>();
                Adds(b, a, 1.0f, TILE);
                qout.EnQue(b);
                b = qout.DeQue<T>();
                DataCopy(out[i * TILE], b, TILE);
                qout.FreeTensor(b);
            }
            qin.FreeTensor(a);
        }
    }
"""


@pytest.fixture
def profile_of(probe):
    """Return a function that profiles x + 1 on so many cores, with each tile read so many times."""

    def run(cores, reads=1):
        x = np.ones(TILES * 2048, np.float32)
        return probe(DOUBLE % (TILES, reads, reads), x, x, block_dim=cores).launch.profile

    return run


def test_the_share_is_of_the_tensors_moved_once_by_the_whole_chip(profile_of):
    for cores in (1, 48):
        profile = profile_of(cores)
        tensor = TILES * 8192
        assert profile.gm_read_bytes == profile.gm_write_bytes == tensor
        # What is written stays in the second-level cache.
        assert profile.roofline_us == pytest.approx(
            tensor / chip(DEFAULT_CHIP).reached_bytes_per_us, rel=1e-3
        )
        assert profile.roofline_share == pytest.approx(profile.roofline_us / profile.time_us, abs=6e-4)


def test_fewer_cores_have_no_larger_share(profile_of):
    shares = [profile_of(cores).roofline_share for cores in (48, 24, 8, 1)]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.1 < 0.5 < shares[0]


def test_reading_twice_has_no_larger_share(profile_of):
    once, twice = profile_of(48), profile_of(48, reads=2)
    assert twice.gm_read_bytes == 2 * once.gm_read_bytes
    assert twice.roofline_us == once.roofline_us
    assert twice.roofline_share < once.roofline_share


def test_a_launch_behind_another_finds_its_tensors_in_the_cache(profile_of):
    profile = profile_of(48)
    assert profile.cold_us == profile.time_us
    assert 0.2 * profile.cold_us < profile.warm_us < 0.9 * profile.cold_us


def test_a_product_needs_its_multiplications():
    square = TensorMeta(dtype=DType("float16"), shape=(512, 512))
    call = Call(inputs=(square, square), outputs=(OutputMeta(meta=square),), products=((2, 512**3),))
    read, written, cycles = (float(n) for n in must(call).split("\t"))
    assert (read, written, cycles) == (2 * 512 * 512 * 2, 512 * 512 * 2, 512**3 / 16**3)
