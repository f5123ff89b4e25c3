"""Drawing: figures as standalone SVG text, each in a wide and a narrow form. Knows numbers and words, no measures."""

from astray.report.drawing.dots import Axis, Mark, Row, dots
from astray.report.drawing.flow import Flow, flow
from astray.report.drawing.lines import Line, Point, lines
from astray.report.drawing.svg import NARROW, WIDE

__all__ = ["NARROW", "WIDE", "Axis", "Flow", "Line", "Mark", "Point", "Row", "dots", "flow", "lines"]
