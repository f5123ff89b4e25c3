"""astray: how far does bad advice lead your agent astray?"""

from importlib.metadata import version

from astray.arm import Arm

__all__ = ["Arm", "__version__"]

__version__ = version("astray")
