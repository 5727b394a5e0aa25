import HttpConvConcurrency

/// What one conversation knows of the steps that it had run, or waited for.
struct StepHistory {
    private struct Entry {
        var succeededAt: UInt64?
        var failedAfter: UInt64?
        var declined = false
    }

    private var entries: [SendableKey: Entry] = [:]

    /// Whether the demand of an exchange comes after the step was done for this very conversation.
    func isDemandedAgain(_ key: SendableKey, sentUnder stamp: UInt64) -> Bool {
        entries[key]?.succeededAt.map { stamp >= $0 } ?? false
    }

    /// Whether nothing could be done before.
    func wasDeclined(_ key: SendableKey) -> Bool { entries[key]?.declined ?? false }

    /// The stamp that the step is asked for with: what failed while this conversation waited is its failure, too.
    func stamp(for key: SendableKey, sentUnder stamp: UInt64) -> UInt64 {
        min(entries[key]?.failedAfter ?? .max, stamp)
    }

    mutating func succeeded(_ key: SendableKey, at epoch: UInt64) { entries[key] = Entry(succeededAt: epoch) }
    mutating func declined(_ key: SendableKey) { entries[key, default: Entry()].declined = true }
    mutating func failed(_ key: SendableKey, after stamp: UInt64) { entries[key, default: Entry()].failedAfter = stamp }
}
