//! Some states of a model, visited depth first and then forgotten: what a store learns from before the search begins.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::monitor::Patience;
use crate::search::outcome::Step;
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Event, Rules, Visitor, Walk};
use crate::store::{ExactStore, Handle, Store, Visit};

/// Steps are counted in units of a tick of the walk: at most so many for each thousand states that are wanted.
const TICKS_PER_THOUSAND: usize = 3;

struct Sampler<'p> {
    store: ExactStore,
    most: usize,
    /// Ticks of the walk that are left.
    ticks: usize,
    patience: Patience<'p>,
}

impl Visitor for Sampler<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, how: TransitionType) -> Decision {
        if self.store.len() >= self.most {
            return Decision::Stop;
        }
        match self.store.visit(machine.state(), how) {
            Visit::New(handle) => Decision::Enter(handle),
            Visit::Seen { .. } => Decision::Back,
            Visit::Full => Decision::Stop,
        }
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    /// An error is the search's to tell, and the sooner it begins the better.
    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, _: Event, _: Option<Step>) -> Control {
        Control::Stop
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        let Some(ticks) = self.ticks.checked_sub(1) else { return Control::Stop };
        self.ticks = ticks;
        if self.patience.is_over(walk.memory() + self.store.memory()) { Control::Stop } else { Control::Continue }
    }
}

/// The first states that a depth-first search meets: at most so many, in at most so many bytes and a bounded number of steps. Where
/// there is an error, the sample ends.
pub fn sample(program: &Program, rules: Rules, most: usize, bytes: usize, patience: Patience<'_>) -> ExactStore {
    let ticks = most.div_ceil(1000) * TICKS_PER_THOUSAND;
    let mut sampler = Sampler { store: ExactStore::with_budget(0, bytes), most, ticks, patience };
    if let Ok(mut machine) = Machine::new(program) {
        let _ = Walk::new(program.transitions.len(), rules).run(&mut machine, &mut sampler, &mut Full);
    }
    sampler.store
}
