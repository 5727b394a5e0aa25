// Compiled on Apple's platforms only; this project's tests run on Linux and do not cover it.
#if canImport(SwiftUI)
public import SwiftUI

/// Shows a logon's screens in SwiftUI: put it over an application's own view while a ``LogonDialogue`` runs with its
/// model.
///
/// ```swift
/// LogonSwiftUIView(model)
///     .task { try? await LogonDialogue(logon: logon, view: model).run() }
/// ```
public struct LogonSwiftUIView: View {
    @Bindable private var model: LogonModel

    /// A view of a model.
    public init(_ model: LogonModel) { self.model = model }

    /// The model's screen, or the operation in progress.
    public var body: some View {
        if let screen = model.screen {
            LogonScreenView(screen: screen, model: model)
        } else if let activity = model.activity {
            VStack {
                ProgressView(activity.title)
                Button(LogonAction.cancel.label, role: .cancel) { model.cancelActivity() }
            }
            .padding()
        }
    }
}

/// A screen that asks.
private struct LogonScreenView: View {
    let screen: LogonScreen
    @Bindable var model: LogonModel

    var body: some View {
        Form {
            Section {
                Text(verbatim: screen.title).font(.headline)
                if !screen.message.isEmpty { Text(verbatim: screen.message) }
                if !screen.problem.isEmpty { Text(verbatim: screen.problem).foregroundStyle(.red) }
                if let count = screen.attemptsLeft { Text(verbatim: LogonScreen.text(attemptsLeft: count)) }
            }
            Section {
                ForEach(screen.fields) { field in
                    LogonFieldView(field: field, value: $model.values[text: field.id])
                }
            }
            Section {
                ForEach(screen.rules, id: \.self) { rule in
                    Label(rule.text, systemImage: model.isSatisfied(rule) ? "checkmark.circle.fill" : "circle")
                }
            }
            Section {
                ForEach(screen.actions, id: \.self) { action in
                    Button(action.label, role: action.role) { model.answer(action) }
                        .disabled(action == screen.actions.first && !screen.fields.isEmpty && !model.canProceed)
                }
            }
        }
    }
}

/// A field.
private struct LogonFieldView: View {
    let field: LogonField
    @Binding var value: String

    var body: some View {
        switch field.kind {
        case .toggle: Toggle(field.label, isOn: isOn)
        case .choice:
            Picker(field.label, selection: $value) {
                if value.isEmpty { Text(verbatim: "").tag("") }
                ForEach(field.choices) { choice in Text(verbatim: choice.label).tag(choice.id) }
            }
        case .secret: SecureField(field.label, text: $value)
        case .number: TextField(field.label, text: $value, prompt: prompt).numbersOnly()
        case .text: TextField(field.label, text: $value, prompt: prompt).autocorrectionDisabled().asTyped()
        }
    }

    private var prompt: Text? { field.placeholder.isEmpty ? nil : Text(verbatim: field.placeholder) }

    private var isOn: Binding<Bool> {
        Binding { [$value] in
            $value.wrappedValue == LogonField.on
        } set: { [$value] in
            $value.wrappedValue = $0 ? LogonField.on : LogonField.off
        }
    }
}

extension [LogonField.Name: String] {
    /// The value of a field; empty if it has none.
    fileprivate subscript(text name: LogonField.Name) -> String {
        get { self[name] ?? "" }
        set { self[name] = newValue }
    }
}

extension View {
    /// Keeps the first letter as it is typed: a name is another one with a capital.
    fileprivate func asTyped() -> some View {
        #if os(iOS)
        textInputAutocapitalization(.never)
        #else
        self
        #endif
    }

    fileprivate func numbersOnly() -> some View {
        #if os(iOS)
        keyboardType(.numberPad)
        #else
        self
        #endif
    }
}

extension LogonAction {
    fileprivate var role: ButtonRole? {
        switch self {
        case .cancel: .cancel
        case .deleteUser, .removeAccount: .destructive
        default: nil
        }
    }
}
#endif
