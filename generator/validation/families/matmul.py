"""FLOP/s of the best matrix product: a share of the dense peak."""

from __future__ import annotations

from generator.estimates.devices import peak
from generator.formulas import measured_links, roofline
from generator.specs.library import Library
from generator.validation import names
from generator.validation.families import reasons
from generator.validation.family import Case, Family, Inputs, Number
from generator.validation.rows import Row, Uncovered

FORMATS = {"bf16": "bf16", "fp16": "fp16", "fp8": "fp8", "int8": "int8", "fp4": "nvfp4", "nvfp4": "nvfp4"}


def claims(row: Row) -> bool:
    return row.metric == "achievable_matmul"


def express(row: Row, library: Library) -> Case:
    accelerator = names.accelerator(library, row.text("gpu"))
    written = row.text("precision_weights").lower()
    if written not in FORMATS:
        raise Uncovered(f"number format `{written}` is not known")
    flops, computed = peak(accelerator, library.find("number_formats", FORMATS[written]))
    if flops is None or computed is None:
        raise Uncovered(f"the peak of {accelerator.id} in {written} is not known")
    return Case(
        row,
        {"peak_flops_per_s": flops},
        keys={
            "model": "",
            "accelerator": accelerator.id,
            "vendor": accelerator.vendor.lower(),
            "format": computed,
        },
        group=accelerator.id,
        bound=flops,
        reference=roofline.achieved_flops_per_s(
            peak_flops_per_s=flops, compute_efficiency=library.assume("compute-efficiency")
        ),
        per_unit=1e12,
    )


def predict(inputs: Inputs, constants: Inputs) -> Number:
    """The peak times the share that is reached."""
    return measured_links.product_flops_per_s(**inputs, **constants)


FAMILY = Family(
    id="matmul",
    name="Matrix product",
    what="FLOP/s of the fastest matrix product found by searching shapes: a share of the dense peak of the format.",
    unit="FLOP/s",
    claims=claims,
    express=express,
    predict=predict,
    constants=("product_efficiency",),
    bound_is="most",
    alike_by=("vendor", "format"),
    explain=reasons.of_product,
)
