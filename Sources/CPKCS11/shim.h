// The part of PKCS #11 2.40 (OASIS) that finding a certificate and signing with its key needs: a module's table of functions has all
// entries in their order, and those that are not called have no type. Modules are loaded when first used, so nothing is linked.
#ifdef __linux__
#include <dlfcn.h>

typedef unsigned long pkcs11_number;
typedef pkcs11_number pkcs11_result;

struct pkcs11_version {
    unsigned char major, minor;
};

/// CK_TOKEN_INFO: texts are padded with spaces and have no end.
struct pkcs11_token_info {
    unsigned char label[32], manufacturer[32], model[16], serial[16];
    pkcs11_number flags;
    pkcs11_number counts[10];
    struct pkcs11_version hardware, firmware;
    unsigned char time[16];
};

/// CK_ATTRIBUTE
struct pkcs11_attribute {
    pkcs11_number type;
    void *_Nullable value;
    pkcs11_number length;
};

/// CK_MECHANISM
struct pkcs11_mechanism {
    pkcs11_number type;
    void *_Nullable parameter;
    pkcs11_number length;
};

/// CK_RSA_PKCS_PSS_PARAMS
struct pkcs11_pss {
    pkcs11_number hash, generator, salt;
};

/// CK_C_INITIALIZE_ARGS
struct pkcs11_initialization {
    void *_Nullable create_lock, *_Nullable destroy_lock, *_Nullable lock, *_Nullable unlock;
    pkcs11_number flags;
    void *_Nullable reserved;
};

/// CK_FUNCTION_LIST, up to C_Sign.
struct pkcs11_functions {
    struct pkcs11_version version;
    pkcs11_result (*_Nullable initialize)(void *_Nullable);
    void *_Nullable finalize, *_Nullable get_info, *_Nullable get_function_list;
    pkcs11_result (*_Nullable get_slots)(unsigned char present, pkcs11_number *_Nullable, pkcs11_number *_Nonnull count);
    void *_Nullable get_slot_info;
    pkcs11_result (*_Nullable get_token_info)(pkcs11_number slot, struct pkcs11_token_info *_Nonnull);
    void *_Nullable get_mechanisms, *_Nullable get_mechanism_info, *_Nullable init_token, *_Nullable init_pin, *_Nullable set_pin;
    pkcs11_result (*_Nullable open_session)(
        pkcs11_number slot, pkcs11_number flags, void *_Nullable, void *_Nullable, pkcs11_number *_Nonnull session);
    pkcs11_result (*_Nullable close_session)(pkcs11_number session);
    void *_Nullable close_all_sessions, *_Nullable get_session_info, *_Nullable get_state, *_Nullable set_state;
    pkcs11_result (*_Nullable login)(
        pkcs11_number session, pkcs11_number user, unsigned char *_Nullable pin, pkcs11_number length);
    void *_Nullable logout, *_Nullable create_object, *_Nullable copy_object, *_Nullable destroy_object, *_Nullable get_size;
    pkcs11_result (*_Nullable get_attributes)(
        pkcs11_number session, pkcs11_number object, struct pkcs11_attribute *_Nonnull, pkcs11_number count);
    void *_Nullable set_attributes;
    pkcs11_result (*_Nullable find_begin)(
        pkcs11_number session, struct pkcs11_attribute *_Nullable, pkcs11_number count);
    pkcs11_result (*_Nullable find)(
        pkcs11_number session, pkcs11_number *_Nonnull objects, pkcs11_number most, pkcs11_number *_Nonnull count);
    pkcs11_result (*_Nullable find_end)(pkcs11_number session);
    void *_Nullable encrypting[4], *_Nullable decrypting[4], *_Nullable digesting[5];
    pkcs11_result (*_Nullable sign_begin)(
        pkcs11_number session, struct pkcs11_mechanism *_Nonnull, pkcs11_number key);
    pkcs11_result (*_Nullable sign)(
        pkcs11_number session, unsigned char *_Nonnull data, pkcs11_number length, unsigned char *_Nullable signature,
        pkcs11_number *_Nonnull signature_length);
};

/// The table of a loaded module; null if the library has no such function, or it fails.
static inline struct pkcs11_functions *_Nullable pkcs11_functions_of(void *_Nonnull library) {
    pkcs11_result (*get)(struct pkcs11_functions **) =
        (pkcs11_result(*)(struct pkcs11_functions **))dlsym(library, "C_GetFunctionList");
    struct pkcs11_functions *functions = 0;
    return get && get(&functions) == 0 ? functions : 0;
}
#endif
