import Foundation
import HttpConversation
import HttpConversationNIO
import Synchronization

/// The leftovers of a run: live transports and open descriptors.
final class Leftovers: Sendable {
    private let before: [String]
    private let transports = Mutex<[@Sendable () -> Bool]>([])

    /// Takes the baseline after a first request, because event loops, resolvers and timers open lasting descriptors at
    /// their first use.
    init() async {
        try? await Task.sleep(for: .milliseconds(1))
        let transport = NIOTransport()
        _ = try? await transport.send(
            TransportRequest(
                target: TargetURL("http://localhost:1/"), method: .get, headerFields: [:], body: nil, options: .init()))
        await transport.shutdown()
        before = Self.descriptors
    }

    /// Counts a transport for as long as it lives.
    func watch(_ transport: any HTTPTransport & AnyObject) {
        transports.withLock { $0.append({ [weak transport] in transport != nil }) }
    }

    /// Waits until nothing is left. Returns the leftovers after the limit.
    func names(within limit: Duration) async -> [String] {
        let end = ContinuousClock.now + limit
        while true {
            let alive = transports.withLock { $0.count { $0() } }
            let new = newDescriptors
            let names =
                (alive > 0 ? ["\(alive) transports"] : [])
                + (new.isEmpty ? [] : ["\(new.count) descriptors of \(new)"])
            if names.isEmpty || ContinuousClock.now > end { return names }
            // Polled, because no event marks this condition.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The descriptors in excess of the baseline. If a name occurs more often than before, the surplus counts.
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

    /// The names of this process's open descriptors. Linux only; empty elsewhere.
    ///
    /// Timers do not count: Dispatch keeps one for each clock in use, also for time limits of finished requests in URL
    /// loading. A leaked event loop would show by its other descriptors.
    private static var descriptors: [String] {
        let manager = FileManager.default
        return ((try? manager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).map {
            (try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? "nothing any more"
        }.filter { $0 != "anon_inode:[timerfd]" }
    }
}
