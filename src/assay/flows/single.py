"""The flow `single`: one answer, checked, and no second try. The baseline."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph

from assay.flows.context import FlowContext
from assay.flows.state import State
from assay.flows.steps import check, generate


def build() -> StateGraph[State, FlowContext, Any, Any]:
    """Generate -> check."""
    graph = StateGraph(State, context_schema=FlowContext)
    graph.add_node("generate", generate)
    graph.add_node("check", check)
    graph.add_edge(START, "generate")
    graph.add_edge("generate", "check")
    graph.add_edge("check", END)
    return graph
