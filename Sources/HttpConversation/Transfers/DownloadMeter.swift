/// Computes progress and rate from byte counts, by the clock of a conversation.
package struct DownloadMeter: Sendable {
    private let stopwatch: Stopwatch
    private var meter = TransferMeter()

    package init(_ clock: any Clock<Duration> & Sendable) { stopwatch = Stopwatch(any: clock) }

    /// - Parameters:
    ///   - received: the number of bytes received
    ///   - total: the number of bytes of the whole, if known
    package mutating func progress(_ received: Int, of total: Int?) -> DownloadProgress {
        DownloadProgress(received: received, total: total, rate: meter.rate(at: stopwatch.elapsed, received))
    }
}
