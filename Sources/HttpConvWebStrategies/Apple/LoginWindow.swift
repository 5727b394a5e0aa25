// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(WebKit)
public import HttpConvAuthFlows
public import WebKit

/// The default presenter: a window of its own, with the page's server, its title and a way to cancel.
@MainActor
public final class LoginWindow: WebViewPresenter {
    private var shown: [ObjectIdentifier: Shown] = [:]

    /// Creates a presenter.
    public nonisolated init() {}

    public func present(_ view: WKWebView, for login: WebLogin, onClose: @escaping @MainActor () -> Void) {
        // Without a scene on the screen there is nobody to ask.
        guard let window = Shown(view, onClose) else { return onClose() }
        shown[ObjectIdentifier(view)] = window
    }

    public func dismiss(_ view: WKWebView) { shown.removeValue(forKey: ObjectIdentifier(view))?.close() }

    public func arrived(at place: LoginPagePlace, in view: WKWebView) {
        shown[ObjectIdentifier(view)]?.show(place)
    }

    public func ask(_ dialog: LoginPageDialog, over view: WKWebView) async -> String? {
        await shown[ObjectIdentifier(view)]?.ask(dialog)
    }
}

#if os(macOS)
/// A window with one view.
@MainActor
private final class Shown: NSObject {
    private let window: NSWindow
    private let onClose: @MainActor () -> Void

    init?(_ view: WKWebView, _ onClose: @escaping @MainActor () -> Void) {
        self.onClose = onClose
        window = NSWindow(
            contentRect: NSRect(x: 0, y: 0, width: 480, height: 640), styleMask: [.titled, .closable, .resizable],
            backing: .buffered, defer: false)
        super.init()
        window.isReleasedWhenClosed = false
        window.contentView = view
        window.delegate = self
        window.center()
        window.makeKeyAndOrderFront(nil)
    }

    func show(_ place: LoginPagePlace) {
        window.title = place.server
        window.subtitle = place.title
    }

    func close() {
        window.delegate = nil
        // Ends the call of a dialog that is open.
        if let sheet = window.attachedSheet { window.endSheet(sheet, returnCode: .cancel) }
        window.close()
    }

    func ask(_ dialog: LoginPageDialog) async -> String? {
        let alert = NSAlert()
        alert.messageText = dialog.title
        alert.informativeText = dialog.message
        alert.addButton(withTitle: "OK")
        if dialog.kind != .alert { alert.addButton(withTitle: "Cancel") }
        let field = NSTextField(string: dialog.suggestion)
        if dialog.kind == .prompt {
            field.frame = NSRect(x: 0, y: 0, width: 240, height: 24)
            alert.accessoryView = field
        }
        guard await alert.beginSheetModal(for: window) == .alertFirstButtonReturn else { return nil }
        return dialog.kind == .prompt ? field.stringValue : ""
    }
}

extension Shown: NSWindowDelegate {
    func windowWillClose(_ notification: Notification) { onClose() }
}
#else
/// A window of the scene that is on the screen, with one view below a bar.
@MainActor
private final class Shown {
    private let window: UIWindow
    private let page = UIViewController()
    /// The call of the dialog that is open.
    private var asking: CheckedContinuation<String?, Never>?

    init?(_ view: WKWebView, _ onClose: @escaping @MainActor () -> Void) {
        guard let scene = UIWindowScene.onScreen else { return nil }
        window = UIWindow(windowScene: scene)
        page.view = view
        page.navigationItem.leftBarButtonItem = UIBarButtonItem(
            systemItem: .cancel, primaryAction: UIAction { _ in onClose() })
        window.rootViewController = UINavigationController(rootViewController: page)
        window.makeKeyAndVisible()
    }

    func show(_ place: LoginPagePlace) {
        page.navigationItem.title = place.server
        page.navigationItem.prompt = place.title.isEmpty ? nil : place.title
    }

    func close() {
        // The system calls no action of a dialog that disappears with its window.
        answer(nil)
        window.isHidden = true
        window.rootViewController = nil
    }

    func ask(_ dialog: LoginPageDialog) async -> String? {
        let alert = UIAlertController(title: dialog.title, message: dialog.message, preferredStyle: .alert)
        if dialog.kind == .prompt { alert.addTextField { $0.text = dialog.suggestion } }
        alert.addAction(
            UIAlertAction(title: "OK", style: .default) { [weak self, weak alert] _ in
                self?.answer(alert?.textFields?.first?.text ?? "")
            })
        if dialog.kind != .alert {
            alert.addAction(UIAlertAction(title: "Cancel", style: .cancel) { [weak self] _ in self?.answer(nil) })
        }
        // The system shows no second one, and none over a window that is closed.
        guard asking == nil, page.presentedViewController == nil, !window.isHidden else { return nil }
        return await withCheckedContinuation { continuation in
            asking = continuation
            page.present(alert, animated: true)
        }
    }

    private func answer(_ answer: String?) {
        asking?.resume(returning: answer)
        asking = nil
    }
}

extension UIWindowScene {
    /// The scene that the person uses.
    static var onScreen: UIWindowScene? {
        // An external display is a scene, too, and nobody can touch it.
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            .filter { $0.session.role == .windowApplication }
        return scenes.first { $0.activationState == .foregroundActive }
            ?? scenes.first { $0.activationState == .foregroundInactive }
    }
}
#endif
#endif
