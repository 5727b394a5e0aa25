import Foundation
import HttpConversation
import HttpConversationNIO
import Synchronization

/// What a run leaves behind: transports that live, descriptors that are open.
final class Leftovers: Sendable {
    private let before: [String]
    private let transports = Mutex<[@Sendable () -> Bool]>([])

    /// Event loops, resolvers and timers open what they keep with their first use: that is not left behind.
    init() async {
        try? await Task.sleep(for: .milliseconds(1))
        let transport = NIOTransport()
        _ = try? await transport.send(
            TransportRequest(
                target: TargetURL("http://localhost:1/"), method: .get, headerFields: [:], body: nil, options: .init()))
        await transport.shutdown()
        before = Self.descriptors
    }

    /// From now on it counts for as long as it lives.
    func watch(_ transport: any HTTPTransport & AnyObject) {
        transports.withLock { $0.append({ [weak transport] in transport != nil }) }
    }

    /// Nothing, as soon as nothing is left; what still is after a while.
    func names(within limit: Duration) async -> [String] {
        let end = ContinuousClock.now + limit
        while true {
            let alive = transports.withLock { $0.count { $0() } }
            let open = Self.descriptors.count - before.count
            let names =
                (alive > 0 ? ["\(alive) transports"] : [])
                + (open > 0 ? ["\(open) descriptors of \(Self.descriptors.filter { !before.contains($0) })"] : [])
            if names.isEmpty || ContinuousClock.now > end { return names }
            // A condition that nothing tells of: polled.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// What the open descriptors of this process are of. Linux only; elsewhere there are none.
    private static var descriptors: [String] {
        let manager = FileManager.default
        return ((try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).map {
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? "nothing any more"
        }
    }
}
