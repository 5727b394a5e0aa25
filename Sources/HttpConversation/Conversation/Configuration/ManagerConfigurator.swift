/// Adds filters, observers and settings to manager configurations.
///
/// Applying a configurator twice must have no further effect: filters are added under fixed ids with the configurator's
/// ``ConfiguratorID``, and an equal id replaces. A configurator for a person joins its ``ConfiguratorSession``. It
/// reports problems instead of throwing (``HttpConversationManager/Configuration/report(_:)``).
public protocol ManagerConfigurator: Sendable {
    /// Adds the filters, observers and settings of this configurator.
    func configure(_ configuration: inout HttpConversationManager.Configuration)
}
