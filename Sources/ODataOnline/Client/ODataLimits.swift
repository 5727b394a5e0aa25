import HttpConvFormats

/// The limits of an answer. An answer beyond them fails with ``ODataError/Code/tooLarge``: it is an attack on memory
/// and time, or the service is not meant for this program.
public struct ODataLimits: Sendable {
    /// The bytes of one page of rows. A page is read as it arrives and is never in memory as a whole.
    public var pageBytes = 64 << 20
    /// The bytes of one row, and of any other value or list of links with all its pages.
    public var rowBytes = 4 << 20
    /// The rows of one page.
    public var pageRows = 250_000
    /// The number of pages that are followed, one after another.
    public var pages = 10_000
    /// The time spent waiting for the service while reading pages, over all pages together, and the time for the body
    /// of any other answer. The time that the caller takes per row does not count. The limit is checked whenever bytes
    /// arrive. Nil: no limit.
    public var waitingTime: Duration? = .seconds(3600)
    /// The bytes of `$metadata`. It may have one element for each 80 bytes.
    public var metadataBytes = 8 << 20
    /// The bytes of the answer to a batch.
    public var batchBytes = 8 << 20
    /// The depth of nested values.
    public var depth = 64

    /// The default limits.
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
