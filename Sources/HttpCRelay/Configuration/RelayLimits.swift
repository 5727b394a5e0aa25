/// The limits of a relay for its clients and its target. Tests make some of them smaller.
package struct RelayLimits: Sendable {
    /// The number of open connections. Further ones are closed at once.
    package var connections = 512
    /// The number of bytes of all fields of a request, names and values, and of its path.
    package var headBytes = 64 << 10
    /// The number of fields of a request.
    package var fields = 256
    /// The time for a head, from the start of a connection or the end of the answer before.
    package var headTime = Duration.seconds(30)
    /// The time that a target may be silent, such as in a long poll or a stream of events.
    package var silence = Duration.seconds(15 * 60)
    /// The time that a server elsewhere may be silent if the redirect to it does not look like a login's.
    package var silenceElsewhere = Duration.seconds(30)
    /// The number of bytes of an upload that are kept for a repetition.
    package var keptUpload = 1 << 20

    package init() {}

    /// Lowers the number of connections, so that the relays of a process never need more descriptors than it may have:
    /// their clients get a quarter, and their transports, which also log in elsewhere, a half.
    ///
    /// - Parameter descriptors: the number that the process may have; nil: it is not known
    mutating func share(_ descriptors: Int?, among relays: Int) {
        guard let descriptors else { return }
        connections = min(connections, max(1, descriptors / 4 / max(1, relays)))
    }
}
