/// How far a download is.
public struct DownloadProgress: Hashable, Sendable {
    /// The number of bytes that are there, those of an earlier download included.
    public let received: Int
    /// The number of bytes of the whole; nil where it was not announced, or a content coding hides it.
    public let total: Int?
    /// Bytes per second in the last few seconds; nil until that can be told.
    public let rate: Double?

    /// How long it still takes at this rate; nil where that cannot be told.
    public var timeLeft: Duration? {
        guard let rate, rate > 0, let total, total >= received else { return nil }
        return .seconds(min(Double(total - received) / rate, 1e9))
    }
}
