#if canImport(AppKit) && os(macOS)
internal import AppKit
#elseif canImport(UIKit)
internal import UIKit
#endif

#if canImport(AppKit) && os(macOS) || canImport(UIKit)
/// Notices that the machine goes to sleep, or that the device is locked.
final class SleepWatch: Sendable {
    private let center: NotificationCenter
    // Immutable, and only handed back to the center, which any thread may call.
    nonisolated(unsafe) private let observer: any NSObjectProtocol

    init(_ sleeps: @escaping @Sendable () -> Void) {
        #if os(macOS)
        center = NSWorkspace.shared.notificationCenter
        let name = NSWorkspace.willSleepNotification
        #else
        center = .default
        let name = UIApplication.protectedDataWillBecomeUnavailableNotification
        #endif
        observer = center.addObserver(forName: name, object: nil, queue: nil) { _ in sleeps() }
    }

    deinit { center.removeObserver(observer) }
}
#else
/// Does nothing on other platforms: the vault's clock runs on while the machine sleeps.
final class SleepWatch: Sendable {
    init(_ sleeps: @escaping @Sendable () -> Void) {}
}
#endif
