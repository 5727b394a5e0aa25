import HttpC
import HttpCClient
import HttpCTerminal

/// The values of a command line. A command makes one from its options; the code for transfers knows no options.
struct RequestPlan: Sendable {
    var urls: [URLArgument] = []
    var client = ClientPlan()
    /// The warnings to print before anything is sent.
    var warnings: [String] = []
    /// Whether there was a password on the command line.
    var hasPassword = false

    // MARK: What is sent

    var method: String?
    /// The values of -H; the lines of a file replace its @file.
    var headers: [String] = []
    var userAgent: String?
    var referer: String?
    /// One for each URL.
    var payloads: [RequestPayload] = []

    // MARK: How often, how fast, how much

    var isParallel = false
    var maximumParallel = 1
    var retries = 0
    var retryDelay: Duration?
    var retryTime: Duration?
    var continuation: ContinueOption?
    /// The value of -r.
    var range: String?

    // MARK: What is shown

    /// One for each URL.
    var destinations: [TransferDestination] = []
    /// Whether a file whose name is that of a packed one, such as `x.tar.gz`, is asked for and stored as it is.
    var keepsPackedFiles = false
    /// The file of -D.
    var headFile: String?
    /// Whether the head is printed before the body (-i).
    var includesHead = false
    /// Whether only the head is asked for (-I).
    var asksForHead = false
    /// Whether server-sent events are printed as JSON.
    var printsEvents = false
    /// The style of JSON on a terminal; nil to print it unchanged.
    var layout: TerminalStyle?
    /// Whether a status of 400 or more is a failure.
    var failsOnErrors = false
    /// Whether the body of such an answer is left out.
    var hidesErrors = false
    var writeOut: WriteOut?
}
