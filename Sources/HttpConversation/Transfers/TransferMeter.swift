/// Measures the rate of a transfer over the last few seconds, which predict the next ones best.
public struct TransferMeter: Sendable {
    private var samples: [(time: Duration, count: Int)] = []

    private static let window = Duration.seconds(5)
    private static let spacing = Duration.milliseconds(100)

    /// A meter that has measured nothing.
    public init() {}

    /// Records a byte count.
    ///
    /// - Parameters:
    ///   - time: the time since some fixed moment
    ///   - count: the number of bytes so far
    /// - Returns: bytes per second; nil until some time has passed
    public mutating func rate(at time: Duration, _ count: Int) -> Double? {
        if samples.count < 2 || time - samples[samples.count - 2].time >= Self.spacing {
            samples.append((time, count))
        } else {
            samples[samples.count - 1] = (time, count)
        }
        while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
        let first = samples[0]
        let seconds = (time - first.time) / .seconds(1)
        return seconds > 0 ? Double(count - first.count) / seconds : nil
    }
}
