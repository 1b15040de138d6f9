"""Models from the `config.json` files of Hugging Face checkpoints."""

from generator.specs.huggingface.kinds import KINDS
from generator.specs.huggingface.reading import (
    UnknownConfig,
    from_config,
    identifier_of,
    model_from_config,
    model_yaml,
)
from generator.specs.huggingface.writing import to_yaml

__all__ = ["KINDS", "UnknownConfig", "from_config", "identifier_of", "model_from_config", "model_yaml", "to_yaml"]
