// Compiled on Apple's platforms only; this project's tests run on Linux and do not cover it.
#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Hides this view whenever the application is not used, and shows the screens that unlock the vault in its place. Put it
    /// on the root view of each scene.
    ///
    /// ```swift
    /// ContentView().logonLifecycle(lifecycle, model: model)
    /// ```
    ///
    /// - Parameters:
    ///   - lifecycle: decides when to hide and to lock
    ///   - model: the screens of the dialogue that unlocks
    public func logonLifecycle(_ lifecycle: LogonLifecycle, model: LogonModel) -> some View {
        LogonCover(lifecycle: lifecycle, model: model, content: self)
    }
}

private struct LogonCover<Content: View>: View {
    @Environment(\.scenePhase) private var phase
    let lifecycle: LogonLifecycle
    let model: LogonModel
    let content: Content

    var body: some View {
        content
            .overlay {
                if lifecycle.isCovered {
                    ZStack {
                        Color.gray.ignoresSafeArea()
                        LogonSwiftUIView(model)
                        if lifecycle.isLocked { Button("Unlock", role: nil) { lifecycle.askToUnlock() } }
                    }
                }
            }
            .onChange(of: phase) { _, phase in lifecycle.sceneChanged(to: LogonLifecycle.Phase(phase)) }
    }
}

extension LogonLifecycle.Phase {
    /// An unknown phase is not use.
    fileprivate init(_ phase: ScenePhase) {
        switch phase {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = .background
        @unknown default: self = .inactive
        }
    }
}
#endif
