/// Adds filters, observers and settings to manager configurations.
///
/// Applying a configurator twice must do no harm: filters are added under fixed ids, and an equal id replaces.
public protocol ManagerConfigurator: Sendable {
    /// Adds what this configurator stands for.
    func configure(_ configuration: inout HttpConversationManager.Configuration)
}
