package import HttpC

/// The values of a command line about a relay.
package struct RelaySettings: Sendable {
    /// The directory that the relay's `/` stands for.
    package var url: TargetURL
    /// The port of 127.0.0.1; 0 for a free one.
    package var port = 0
    /// The path of a Unix socket; nil for TCP.
    package var socket: String?
    /// The time without requests after which the relay ends; nil: never.
    package var idleLimit: Duration?
    /// A program and its arguments to run; empty for a relay that runs until Ctrl-C. `{url}` stands for the relay's URL.
    package var command: [String] = []
    package var limits = RelayLimits()

    package init(url: TargetURL) { self.url = url }
}
