import torch
import torch_npu
import unittest
import custom_ops_lib

torch.npu.config.allow_internal_format = False


class TestCustomAdd(unittest.TestCase):
    def test_scale_add(self):
        length = [8, 250]
        x = torch.rand(length, device="cpu", dtype=torch.float16)
        y = torch.rand(length, device="cpu", dtype=torch.float16)
        torch.npu.synchronize()
        output = custom_ops_lib.scale_add(x.npu(), y.npu(), alpha=2.0).cpu()
        self.assertRtolEqual(output, x + 2 * y)

    def test_the_cpu_is_refused(self):
        x = torch.rand(4)
        with self.assertRaisesRegex(RuntimeError, "tensor of the NPU"):
            custom_ops_lib.scale_add(x, x)

    def assertRtolEqual(self, x, y):
        assert torch.allclose(x, y, rtol=1e-3, atol=1e-3)


if __name__ == "__main__":
    result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(TestCustomAdd))
    assert result.wasSuccessful()
