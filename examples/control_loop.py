"""A control loop that knows in which segment it is: control_loop.py RUN ENVIRONMENT [STEPS]

Every step goes to a stream as it is taken; the wrapper puts the present segment into `info`.
"""

import sys

import slottar


def act(observation, step):
    """A controller of yours would choose the action from what it observes."""
    return (2, 2, 1, 2, 3, 0, 2, 5, 2, 4)[step % 10]


def say(boundary):
    print(f"a segment ended with step {boundary.step} (confidence {boundary.confidence:.2f})")


def main(run, environment, steps=100):
    model = slottar.load_model(run)
    env = slottar.SegmentInfo(slottar.SlottarEnv(environment), model, lag=5, endless=True)
    observation, _ = env.reset(seed=7)
    done = False
    step = 0
    while not done and step < int(steps):
        action = act(observation, step)
        observation, _, terminated, truncated, info = env.step(action)
        if info["segment_event"].boundary:
            say(info["segment_event"].boundary)
        done, step = terminated or truncated, step + 1
    end = info.get("segment_end") or env.stream.finish()
    for boundary in end.boundaries:
        say(boundary)
    print(f"{end.length} steps, {end.segments} segments")
    env.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
