import HttpCTerminal

/// The servers of `httpc demo` and `httpc landscape`. An installed command does not have them: they are for tests, and
/// the package's trait `Landscape` brings them.
enum EmbeddedServers {
    static var areIncluded: Bool {
        #if Landscape
        true
        #else
        false
        #endif
    }

    static let missing = CommandFailure(
        .usage,
        "This httpc was built without the servers of its demo. scripts/demo in its sources builds one that has them.")
}
