"""``python -m sid`` is the command ``sid``."""

import sys

from .cli import main

sys.exit(main())
