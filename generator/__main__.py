"""`python -m generator` is the `handbook` command."""

import sys

from generator.cli import main

sys.exit(main())
