import HttpConvConcurrency

/// What one conversation knows of the steps that it had run, or waited for.
struct StepHistory {
    private struct Entry {
        var succeededAt: UInt64?
        var waitedSince: UInt64?
        var declined = false
    }

    private var entries: [SendableKey: Entry] = [:]

    /// Whether the demand of an exchange comes after the step was done for this very conversation.
    func isDemandedAgain(_ key: SendableKey, sentUnder stamp: UInt64) -> Bool {
        entries[key]?.succeededAt.map { stamp >= $0 } ?? false
    }

    /// Whether nothing could be done before.
    func wasDeclined(_ key: SendableKey) -> Bool { entries[key]?.declined ?? false }

    /// The stamp that the step is asked for with: what came of it while this conversation waited is its outcome, too.
    func stamp(for key: SendableKey, sentUnder stamp: UInt64) -> UInt64 {
        min(entries[key]?.waitedSince ?? .max, stamp)
    }

    mutating func succeeded(_ key: SendableKey, at epoch: UInt64) { entries[key] = Entry(succeededAt: epoch) }
    mutating func waited(for key: SendableKey, since stamp: UInt64) {
        entries[key, default: Entry()].waitedSince = stamp
    }

    mutating func succeeded(_ chain: StepChain) { for key in chain.keys { succeeded(key, at: chain.epoch) } }
    /// All of them: each would lead there again.
    mutating func declined(_ chain: StepChain) {
        for key in chain.keys { entries[key, default: Entry()].declined = true }
    }
}

/// The steps that one demand led to, each to the next.
struct StepChain {
    /// Of the exchange that was answered with the demand.
    let target: TargetURL
    /// The stamp of that exchange.
    let sentUnder: UInt64
    private(set) var keys: [SendableKey] = []
    /// The stamp of the last outcome.
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
