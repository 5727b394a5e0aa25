import ODataFormats

/// What an answer may have. More ends in ``ODataError/Code/tooLarge``: it is an attack on memory and time, or a service
/// that this program is not made for.
public struct ODataLimits: Sendable {
    /// The bytes of one page of rows. A page is read as it arrives and is never in memory as a whole.
    public var pageBytes = 64 << 20
    /// The bytes of one row, and of any other answer with one thing in it.
    public var rowBytes = 4 << 20
    /// The rows of one page.
    public var pageRows = 250_000
    /// The pages that are followed, one after another.
    public var pages = 10_000
    /// The time that reading rows waits for the service, over all pages together, and that the body of any other answer
    /// may take; the time of the reader of rows does not count. It is checked whenever something arrives. Nil: no limit.
    public var waitingTime: Duration? = .seconds(3600)
    /// The bytes of `$metadata`, which may have an element for each 80 of them.
    public var metadataBytes = 8 << 20
    /// The bytes of the answer to a batch.
    public var batchBytes = 8 << 20
    /// Values in values.
    public var depth = 64

    /// Those above.
    public init() {}

    var rows: RowLimits {
        var limits = RowLimits()
        limits.pageBytes = pageBytes
        limits.rowBytes = rowBytes
        limits.rows = pageRows
        limits.depth = depth
        return limits
    }

    var json: JSONLimits {
        var limits = JSONLimits()
        limits.depth = depth
        return limits
    }
}
