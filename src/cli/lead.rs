//! The start of a simulation: the first steps of a trail (`pv simulate --from`). They are executed, not trusted. A simulation has
//! no claim: the steps of the claim in the trail of a property only look at the state, so they are left out.

use crate::report::number::counted;
use crate::report::trail::{Trail, TrailStep};
use crate::search::outcome::{Actor, Step};

/// The steps that a simulation starts with.
pub(super) struct Lead<'t> {
    /// Of the processes, with their numbers in the trail.
    pub steps: Vec<(usize, &'t TrailStep)>,
    /// So many of the claim are left out.
    claim: usize,
}

impl<'t> Lead<'t> {
    /// The first `at` steps of a trail, as `pv replay` counts them; all of them without a number.
    pub(super) fn of(trail: &'t Trail, at: Option<u64>) -> Result<Lead<'t>, String> {
        let all = trail.steps.len();
        let at = match at {
            None => all,
            Some(at) => usize::try_from(at).ok().filter(|&at| at <= all).ok_or_else(|| {
                format!("--at {at} lies beyond the end: the trail has {}", counted(all as u64, "step", "steps"))
            })?,
        };
        let own = |(_, step): &(usize, &TrailStep)| matches!(step.step.actor, Actor::Process(_));
        let steps: Vec<_> = trail.steps.iter().take(at).enumerate().filter(own).collect();
        Ok(Lead { claim: at - steps.len(), steps })
    }

    /// Takes all steps with `take`, which says whether a handshake is now half done.
    pub(super) fn go(&self, mut take: impl FnMut(Step) -> Result<bool, String>) -> Result<(), String> {
        let mut open = None;
        for &(number, step) in &self.steps {
            let half = take(step.step)
                .map_err(|what| format!("the trail does not replay: step {} ({}): {what}", number + 1, step.text))?;
            open = half.then_some(number + 1);
        }
        match open {
            Some(number) => Err(format!(
                "step {number} of the trail is the first half of a rendezvous: a simulation can start before it \
                 (--at {}) or behind its second half",
                number - 1
            )),
            None => Ok(()),
        }
    }

    /// `-- 4 steps of the trail; 3 of the claim are left out --`.
    pub(super) fn told(&self) -> String {
        let steps = counted(self.steps.len() as u64, "step", "steps");
        match self.claim {
            0 => format!("-- {steps} of the trail --"),
            1 => format!("-- {steps} of the trail; 1 of the claim is left out --"),
            claim => format!("-- {steps} of the trail; {claim} of the claim are left out --"),
        }
    }
}
