/// The progress of a download.
public struct DownloadProgress: Hashable, Sendable {
    /// The number of bytes received, including those of an earlier download.
    public let received: Int
    /// The number of bytes of the whole; nil if it was not announced, or a content coding hides it.
    public let total: Int?
    /// The rate in bytes per second over the last few seconds; nil if it is not known yet.
    public let rate: Double?

    /// The remaining time at this rate; nil if it is unknown.
    public var timeLeft: Duration? {
        guard let rate, rate > 0, let total, total >= received else { return nil }
        return .seconds(min(Double(total - received) / rate, 1e9))
    }
}
