"""The flow `team`: a plan, and for each step of it code that is run, tested and improved.

    direct -> (plan) -> write -> check -> (test) -> decide -> optimize -> close
                ^          ^______________________________|
                |_________________________________________|

The edges hold the order. The Manager is asked where there is a choice: whether to plan, who takes
a failure, whether to plan again or stop. Every way back is counted: attempts in a step, plans.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from assay.flows.context import FlowContext
from assay.flows.state import State
from assay.flows.team_deciding import decide, direct, plan
from assay.flows.team_ending import close, optimize
from assay.flows.team_state import TeamState
from assay.flows.team_working import check, test, wants_tests, write_step


def build() -> StateGraph[State, FlowContext, Any, Any]:
    """The team's graph."""
    graph = StateGraph(State, context_schema=FlowContext)
    graph.add_node("direct", direct)
    graph.add_node("plan", plan)
    graph.add_node("write", write_step)
    graph.add_node("check", check)
    graph.add_node("test", test)
    graph.add_node("decide", decide)
    graph.add_node("optimize", optimize)
    graph.add_node("close", close)
    graph.add_edge(START, "direct")
    graph.add_conditional_edges("direct", _way, ["plan", "write"])
    graph.add_edge("plan", "write")
    graph.add_edge("write", "check")
    graph.add_conditional_edges("check", _after_check, ["test", "decide"])
    graph.add_edge("test", "decide")
    graph.add_conditional_edges("decide", _way, ["plan", "write", "optimize", "close"])
    graph.add_edge("optimize", "close")
    graph.add_edge("close", END)
    return graph


def _way(state: State) -> str:
    return TeamState.of(state).way


def _after_check(state: State, runtime: Runtime[FlowContext]) -> Literal["test", "decide"]:
    return "test" if wants_tests(state, runtime.context) else "decide"
