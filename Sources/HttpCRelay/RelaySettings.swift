import HttpC
package import HttpCClient

/// The values of a command line about relays.
package struct RelaySettings: Sendable {
    /// A relay: its target and the place where it listens.
    package struct Target: Sendable {
        /// The typed URL, with its login.
        let argument: URLArgument
        /// The port of 127.0.0.1; 0 for a free one.
        package var port = 0
        /// The path of a Unix socket; nil for TCP.
        package var socket: String?

        package init(_ argument: URLArgument) { self.argument = argument }

        /// The directory that the relay's `/` stands for.
        var url: TargetURL { argument.target }
    }

    package var targets: [Target]
    /// The time without requests after which the relays end; nil: never.
    package var idleLimit: Duration?
    /// A program and its arguments to run; empty for relays that run until Ctrl-C. `{url}` stands for the relay's URL.
    package var command: [String] = []
    /// The time that open requests have to finish at the end.
    package var grace = Duration.zero
    package var limits = RelayLimits()
    /// The number of descriptors that the process may have; nil: it is not known.
    package var descriptors: Int?

    package init(targets: [Target]) { self.targets = targets }
}
