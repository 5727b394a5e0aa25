#if canImport(AppKit) && os(macOS)
internal import AppKit
#elseif canImport(UIKit)
internal import UIKit
#endif

/// Notices that the machine goes to sleep, or that a device is locked, where the system tells: on Apple's systems.
final class SleepWatch: Sendable {
    #if canImport(AppKit) && os(macOS)
    private let task: Task<Void, Never>

    init(_ sleeps: @escaping @Sendable () -> Void) {
        task = Task {
            let center = NSWorkspace.shared.notificationCenter
            for await _ in center.notifications(named: NSWorkspace.willSleepNotification).map({ _ in () }) {
                sleeps()
            }
        }
    }

    deinit { task.cancel() }
    #elseif canImport(UIKit)
    private let task: Task<Void, Never>

    init(_ sleeps: @escaping @Sendable () -> Void) {
        task = Task {
            let name = UIApplication.protectedDataWillBecomeUnavailableNotification
            for await _ in NotificationCenter.default.notifications(named: name).map({ _ in () }) { sleeps() }
        }
    }

    deinit { task.cancel() }
    #else
    /// Nobody tells: the clock that the vault is locked by goes on meanwhile.
    init(_ sleeps: @escaping @Sendable () -> Void) {}
    #endif
}
