"""The curves of `simulate` as one SVG."""

import svg


def draw(groups, path):
    """`groups` is {event: {label: Seen}}. A row for each event: attempts, and connections."""
    with svg.style():
        figure, rows = svg.subplots(len(groups), 2, (9, 2.4 * len(groups)), sharex=True)
        for row, (event, curves) in zip(rows, groups.items()):
            for colour, (label, seen) in zip(svg.COLOURS, curves.items()):
                seconds = range(-10, max(seen.connections))
                tries = [seen.attempts_at(at) for at in seconds]
                row[0].step(seconds, tries, where="post", color=colour, label=label)
                held = [seen.connections_at(at - 1) for at in seconds]
                row[1].plot(seconds, held, color=colour)
            row[0].set_title(event, loc="left")
            row[0].legend()
            for axes, unit in zip(row, ("attempts per second", "connections")):
                axes.set_ylabel(unit)
                axes.set_ylim(bottom=0)
                axes.set_xlim(-10, 90)
                axes.grid(linewidth=0.4)
                axes.yaxis.set_major_formatter("{x:,.0f}")
        for axes in rows[-1]:
            axes.set_xlabel("seconds")
        svg.save(figure, path, "bench/fleet/picture.py")
