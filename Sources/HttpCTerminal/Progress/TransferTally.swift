import HttpC

/// The progress of all transfers of a run together.
struct TransferTally {
    private struct Entry {
        var direction: ProgressBar.Direction
        var count = 0
        var expected: Int?
        var hasEnded = false
    }

    /// The total number of transfers.
    let transfers: Int
    private var entries: [Int: Entry] = [:]
    private(set) var ended = 0
    private(set) var direction = ProgressBar.Direction.down
    /// The number of bytes of all transfers.
    private(set) var count = 0
    private var meter = TransferMeter()
    /// The bytes per second in the last few seconds; nil until known.
    private(set) var rate: Double?
    /// The file of the only transfer.
    var name = ""

    init(transfers: Int) { self.transfers = transfers }

    /// - Parameter time: the time since a fixed moment
    mutating func update(
        _ transfer: Int, _ direction: ProgressBar.Direction, _ count: Int, of expected: Int?, at time: Duration
    ) {
        var entry = entries[transfer] ?? Entry(direction: direction)
        // An upload is followed by its answer, and a repeated body starts again at zero.
        if entry.direction != direction || count < entry.count {
            self.count -= entry.count
            entry = Entry(direction: direction)
            if entries.count <= 1 { meter = TransferMeter() }
        }
        self.count += count - entry.count
        (entry.count, entry.expected) = (count, expected)
        entries[transfer] = entry
        self.direction = direction
        rate = meter.rate(at: time, self.count)
    }

    mutating func end(_ transfer: Int) {
        ended += 1
        entries[transfer]?.hasEnded = true
    }

    /// The expected number of bytes of all transfers, if known for each.
    var expected: Int? {
        guard entries.count == transfers else { return nil }
        var total = 0
        for entry in entries.values {
            guard let expected = entry.hasEnded ? entry.count : entry.expected else { return nil }
            let (sum, overflows) = total.addingReportingOverflow(max(expected, entry.count))
            if overflows { return nil }
            total = sum
        }
        return total
    }
}
