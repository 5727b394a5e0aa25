import HttpConvConcurrency

/// The steps that one conversation has run, or waited for.
struct StepHistory {
    private struct Entry {
        var succeededAt: UInt64?
        var waitedSince: UInt64?
        var declined = false
    }

    private var entries: [SendableKey: Entry] = [:]

    /// Whether the exchange that demands the step was sent after the step had succeeded for this conversation.
    func isDemandedAgain(_ key: SendableKey, sentUnder stamp: UInt64) -> Bool {
        entries[key]?.succeededAt.map { stamp >= $0 } ?? false
    }

    /// Whether the step was declined before.
    func wasDeclined(_ key: SendableKey) -> Bool { entries[key]?.declined ?? false }

    /// The epoch with which the step is requested. An outcome that came while this conversation waited counts, too.
    func stamp(for key: SendableKey, sentUnder stamp: UInt64) -> UInt64 {
        min(entries[key]?.waitedSince ?? .max, stamp)
    }

    mutating func succeeded(_ key: SendableKey, at epoch: UInt64) { entries[key] = Entry(succeededAt: epoch) }
    mutating func waited(for key: SendableKey, since stamp: UInt64) {
        entries[key, default: Entry()].waitedSince = stamp
    }

    mutating func succeeded(_ chain: StepChain) { for key in chain.keys { succeeded(key, at: chain.epoch) } }
    /// Declines all steps of the chain: each would lead there again.
    mutating func declined(_ chain: StepChain) {
        for key in chain.keys { entries[key, default: Entry()].declined = true }
    }
}

/// The steps that one demand led to, in order.
struct StepChain {
    /// The target of the exchange whose response made the demand.
    let target: TargetURL
    /// The epoch of that exchange.
    let sentUnder: UInt64
    private(set) var keys: [SendableKey] = []
    /// The epoch of the last outcome.
    private(set) var epoch: UInt64 = 0

    init(target: TargetURL, sentUnder: UInt64) {
        self.target = target
        self.sentUnder = sentUnder
    }

    mutating func ended(_ key: SendableKey, at epoch: UInt64) {
        keys.append(key)
        self.epoch = max(self.epoch, epoch)
    }
}
