// A run as the front end holds it, and the filters over it. An outcome is a letter in a string of oracles.

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

class RunModel {
  constructor(outline) {
    Object.assign(this, outline);
    this.filter = { states: [], severity: "any", behavior: "any", disagree: false, words: "" };
  }

  term(arm, field, trial, oracle) {
    const letter = this.arms[arm][field][trial]?.[oracle];
    return letter === undefined || letter === "." ? null : this.fields[field][LETTERS.indexOf(letter)];
  }

  // Which oracles the filter leaves, whatever the outcome: by behavior and by words.
  oraclesLeft() {
    const behavior = this.filter.behavior === "any" ? -1 : this.behaviors.findIndex((one) => one[0] === this.filter.behavior);
    const words = this.filter.words.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const left = [];
    this.oracles.forEach(([id, behaviors, text], place) => {
      if (behavior >= 0 && !behaviors.includes(behavior)) return;
      const whole = `${id} ${text}`.toLowerCase();
      if (words.every((word) => whole.includes(word))) left.push(place);
    });
    return left;
  }

  narrows() {
    const { states, severity, behavior, disagree, words } = this.filter;
    return states.length > 0 || severity !== "any" || behavior !== "any" || disagree || words.trim() !== "";
  }

  fits(arm, trial, oracle, letters, apart) {
    const state = this.arms[arm].state[trial]?.[oracle];
    if (letters && !letters.has(state)) return false;
    return !this.filter.disagree || this.arms[arm].corroboration[trial]?.[oracle] === apart;
  }

  // For each arm and trial the oracles that fit: one pass over all outcomes.
  matches() {
    const left = this.oraclesLeft();
    const letters = this.filter.states.length
      ? new Set(this.filter.states.map((state) => LETTERS[this.fields.state.indexOf(state)])) : null;
    const apart = LETTERS[this.fields.corroboration.indexOf("disagrees")];
    return this.arms.map((arm, at) => {
      const shut = this.filter.severity !== "any" && arm.severity !== this.filter.severity;
      return arm.trials.map((_, trial) => (
        shut ? [] : left.filter((oracle) => this.fits(at, trial, oracle, letters, apart))));
    });
  }
}
