use super::*;

fn start(process: usize, name: &str) -> ChartEvent {
    ChartEvent::Start { process, name: name.into(), by: None }
}

fn send(process: usize, message: usize, label: &str) -> ChartEvent {
    ChartEvent::Send { process, message, label: label.into() }
}

fn receive(process: usize, message: usize, label: &str) -> ChartEvent {
    ChartEvent::Receive { process, message: Some(message), label: label.into() }
}

fn local(process: usize, text: &str) -> ChartEvent {
    ChartEvent::Local { process, text: text.into(), matters: text.contains('=') }
}

/// A run with everything a chart can show; `rounds` makes it as long as one likes.
fn run(rounds: usize) -> Vec<ChartEvent> {
    let mut events = vec![start(0, "sender(0)"), start(1, "channel(1)"), start(2, "receiver(2)")];
    for round in 0..rounds {
        let number = round * 10;
        events.push(ChartEvent::Step { number: round + 1, line: Some(17) });
        events.push(local(0, "seq = 1 - seq"));
        events.push(local(0, "i < N & more"));
        events.push(send(0, number, &format!("toC!data,{round},1")));
        events.push(send(0, number + 1, "toC!data,7,0"));
        events.push(receive(1, number, "toC?data,0,1"));
        events.push(ChartEvent::Rendezvous { from: 1, to: 2, label: format!("out: data,{round}") });
        events.push(receive(1, number + 1, "toC?data,7,0"));
        events.push(local(2, "assert(x < 3)"));
        if round == rounds / 2 {
            events.push(ChartEvent::CycleStart);
        }
        events.push(ChartEvent::Rendezvous { from: 2, to: 0, label: "back: ack".into() });
        events.push(send(2, number + 2, "log!note"));
        events.push(receive(2, number + 2, "log?note"));
    }
    events.push(ChartEvent::Start { process: 3, name: "worker(3)".into(), by: Some(0) });
    events.push(send(3, 99_999, "toC!lost"));
    events.push(ChartEvent::End { process: 3 });
    events.push(ChartEvent::Error { process: Some(2), text: "assertion violated (x < 3)".into() });
    events
}

/// Every element is closed, and all text is escaped.
fn well_formed(svg: &str) -> bool {
    let mut depth = 0i32;
    for part in svg.split('<').skip(1) {
        let Some((tag, rest)) = part.split_once('>') else { return false };
        if tag.starts_with('/') {
            depth -= 1;
        } else if !tag.ends_with('/') {
            depth += 1;
        }
        if depth < 0 || (rest.contains('&') && !rest.contains(';')) {
            return false;
        }
    }
    depth == 0
}

#[test]
fn draws_every_kind_of_event() {
    let svg = render(&run(2), "abp.pml", "assertion violated");
    assert!(well_formed(&svg), "{svg}");
    for piece in [
        "sender(0)",
        "out: data,1",
        "toC!data,1,1",
        "class=\"cycle\"",
        "class=\"death\"",
        "class=\"birth\"",
        "i &lt; N &amp; more",
        ">seq = 1 - seq<",
        ">2 · l.17<",
    ] {
        assert!(svg.contains(piece), "{piece}");
    }
    if let Ok(path) = std::env::var("PV_CHART") {
        std::fs::write(path, &svg).expect("written");
    }
}

#[test]
fn long_runs_are_cut_into_panels() {
    let svg = render(&run(12), "abp.pml", "");
    assert!(well_formed(&svg));
    assert!(svg.matches(">sender(0)<").count() > 1, "each panel has its heads");
    assert!(svg.contains('⋮'));
    if let Ok(path) = std::env::var("PV_CHART_LONG") {
        std::fs::write(path, &svg).expect("written");
    }
}

#[test]
fn very_long_runs_lose_their_middle() {
    let svg = render(&run(2000), "m.pml", "");
    assert!(svg.contains("events of the middle are left out"));
    assert!(svg.len() < 2_000_000);
}

#[test]
fn numbers_of_steps_do_not_count_as_events() {
    let step = |number| [ChartEvent::Step { number, line: None }, local(0, "x = 1")];
    let events: Vec<ChartEvent> = [start(0, "p(0)")].into_iter().chain((1..=9).flat_map(step)).collect();
    assert_eq!(shorten(&events, 10), (events.clone(), 0));
    let (kept, left_out) = shorten(&events, 6);
    let drawn = kept.iter().filter(|event| matches!(event, ChartEvent::Local { .. })).count();
    assert_eq!((drawn, left_out), (5, 4));
}

#[test]
fn odd_input_is_drawn_somehow() {
    assert!(well_formed(&render(&[], "", "")));
    let odd = [
        ChartEvent::End { process: 7 },
        receive(5, 1, "q?<b>&\u{1}"),
        ChartEvent::Error { process: None, text: "invalid end state".into() },
        ChartEvent::Start { process: 5, name: "x".repeat(500), by: Some(5) },
    ];
    assert!(well_formed(&render(&odd, "t\"", "c".repeat(900).as_str())));
}
