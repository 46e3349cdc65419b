"""The flow `correct`: write, check, and write again with what failed, until the checks pass.

generate -> check -> (reflect) -> generate, bounded by the task's attempts.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from assay.flows.context import FlowContext
from assay.flows.state import State
from assay.flows.steps import check, generate, is_over, reflect


def build() -> StateGraph[State, FlowContext, Any, Any]:
    """The self-correcting graph."""
    graph = StateGraph(State, context_schema=FlowContext)
    graph.add_node("generate", generate)
    graph.add_node("check", check)
    graph.add_node("reflect", reflect)
    graph.add_edge(START, "generate")
    graph.add_edge("generate", "check")
    graph.add_conditional_edges("check", _after_check, ["generate", "reflect", END])
    graph.add_edge("reflect", "generate")
    return graph


def _after_check(
    state: State, runtime: Runtime[FlowContext]
) -> Literal["generate", "reflect", "__end__"]:
    if is_over(state, runtime.context):
        return "__end__"
    return "reflect" if runtime.context.task.reflect else "generate"
