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
            let new = newDescriptors
            let names =
                (alive > 0 ? ["\(alive) transports"] : [])
                + (new.isEmpty ? [] : ["\(new.count) descriptors of \(new)"])
            if names.isEmpty || ContinuousClock.now > end { return names }
            // A condition that nothing tells of: polled.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// As many as there are more of than before; of several of the same kind those that are too many.
    private var newDescriptors: [String] {
        var rest = before
        let now = Self.descriptors
        let new = now.filter { name in
            guard let index = rest.firstIndex(of: name) else { return true }
            rest.remove(at: index)
            return false
        }
        return now.count > before.count ? new : []
    }

    /// What the open descriptors of this process are of. Linux only; elsewhere there are none.
    ///
    /// Timers do not count: Dispatch has one for each clock that something waits by, the time limits of requests that URL
    /// loading has given up included. An event loop that was left behind has other descriptors as well.
    private static var descriptors: [String] {
        let manager = FileManager.default
        return ((try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).map {
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? "nothing any more"
        }.filter { $0 != "anon_inode:[timerfd]" }
    }
}
