"""What the tiling key of a kernel that is a template stands for, as the host runner reports it."""

from pydantic import Field

from akgen.tools.core.frozen import Frozen

# In the order of ASCENDC_TPL_AIV_ONLY and its kin.
KERNEL_TYPES = ("AIV_ONLY", "AIC_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2")


class TemplateArguments(Frozen):
    """What a key stands for: values by name, and what the combination says of cores and tiling structure."""

    args: tuple[tuple[str, int], ...]
    kernel_type: int | None = Field(default=None, ge=0, lt=len(KERNEL_TYPES))
    tiling_struct: str | None = Field(default=None, pattern=r"^[A-Za-z_]\w*$")
