// Compiled on Apple's platforms only; this project's tests run on Linux and do not cover it.
#if canImport(SwiftUI)
public import SwiftUI

extension View {
    /// Hides this view whenever the application is not used, and shows the screens that unlock the vault in its place.
    /// Put it on the root view of each scene, and on the content of each sheet, which is above that view.
    ///
    /// ```swift
    /// ContentView().logonLifecycle(lifecycle, model: model)
    /// ```
    ///
    /// - Parameters:
    ///   - lifecycle: decides when to hide and to lock
    ///   - model: the screens of the dialogue that unlocks
    ///   - otherAccount: lets a person who does not unlock choose another account; nil: not offered
    public func logonLifecycle(
        _ lifecycle: LogonLifecycle, model: LogonModel, otherAccount: (@MainActor () -> Void)? = nil
    ) -> some View {
        LogonCover(lifecycle: lifecycle, model: model, otherAccount: otherAccount, content: self)
    }
}

private struct LogonCover<Content: View>: View {
    @Environment(\.scenePhase) private var phase
    @State private var scene = UUID().uuidString
    let lifecycle: LogonLifecycle
    let model: LogonModel
    let otherAccount: (@MainActor () -> Void)?
    let content: Content

    var body: some View {
        content
            // Neither the keyboard nor VoiceOver can reach the hidden content.
            .disabled(lifecycle.isCovered)
            .accessibilityHidden(lifecycle.isCovered)
            .overlay {
                if lifecycle.isCovered {
                    ZStack {
                        Color.gray.ignoresSafeArea()
                        VStack {
                            LogonSwiftUIView(model)
                            if lifecycle.isLocked {
                                Button("Unlock", role: nil) { lifecycle.askToUnlock() }
                                if let otherAccount { Button("Other account", role: nil, action: otherAccount) }
                            }
                        }
                    }
                }
            }
            .onAppear { lifecycle.sceneChanged(to: LogonLifecycle.Phase(phase), of: scene) }
            .onChange(of: phase) { _, phase in lifecycle.sceneChanged(to: LogonLifecycle.Phase(phase), of: scene) }
            .onDisappear { lifecycle.sceneEnded(scene) }
    }
}

extension LogonLifecycle.Phase {
    /// An unknown phase is not use.
    fileprivate init(_ phase: ScenePhase) {
        self = phase == .active ? .active : phase == .background ? .background : .inactive
    }
}
#endif
