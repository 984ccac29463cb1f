"""A cluster as a table of its nodes."""

from soulread.report.grid import Grid, console, titled
from soulread.study.cluster.check import ClusterCheck
from soulread.words import duration, plural


def print_check(found: ClusterCheck) -> None:
    """Print the nodes, and what a call costs."""
    table = Grid("node", "address", "cores", "free memory, GB", "soulread", "Python", "speed", "MB/s")
    for node in found.nodes:
        table.add_row(
            node.name,
            node.address,
            str(node.cores),
            "?" if node.memory is None else f"{node.memory / 1e9:.1f}",
            f"{node.versions['soulread']} ({node.versions['files']})",
            node.versions["python"],
            f"{node.speed:.2f}",
            f"{node.bytes_sent / 1e6 / max(node.seconds, 1e-6):,.0f}",
        )
    title = f"{found.address}: {plural(len(found.nodes), 'node')}, {plural(found.cores, 'core')}"
    console.print(titled(title, table))
    console.print(
        f"All have this soulread. Connected in {duration(found.seconds_to_connect)}; a call that does "
        f"nothing takes {1000 * found.seconds_per_call:.1f} ms. Speed is that of a core here = 1.",
        style="dim",
    )
