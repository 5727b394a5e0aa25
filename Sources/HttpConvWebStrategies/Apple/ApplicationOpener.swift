// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
public import HttpConvAuthFlows
public import HttpConvPlatform
import WebKit

/// Opens links in the applications for their schemes, such as the one that makes codes. Not for application extensions,
/// which may open nothing.
public struct ApplicationOpener: ExternalURLOpener {
    /// Creates an opener.
    public init() {}

    /// Opens a link.
    ///
    /// - Throws: ``/HttpConvAuthFlows/WebLoginError/Code/strategyFailed`` if no application does
    @MainActor public func open(_ url: URL) async throws {
        #if os(macOS)
        let isOpen = NSWorkspace.shared.open(url)
        #else
        let isOpen = await UIApplication.shared.open(url)
        #endif
        guard isOpen else {
            throw WebLoginError(.strategyFailed, "No application opens links with the scheme \(url.scheme ?? "").")
        }
    }
}
#endif
