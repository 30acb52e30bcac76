// What a model is made of: a row of model_table.c. The trainer, the checkpoints and the commands
// know models only through this.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_MODEL_KIND_H
#define SLT_MODELS_MODEL_KIND_H

#include "core/options.h"
#include "engine/tape.h"
#include "slottar/model.h"

// a column of the data that varies, as a model reads it: (x - mean)/scale. Of a bit, a column of
// two values, that is 0 or 1, else the standardised number
typedef struct {
    int column;
    bool bit;
    float mean, scale;
} slt_channel_scale;

// what a model must know of its data; kept in checkpoints
typedef struct {
    int symbols;                       // A: action symbols, the last one is the padding; 0: vectors
    int columns;                       // of an action vector; 0: actions are symbols
    int channels;                      // C: columns of it that vary
    const slt_channel_scale *channel;  // [channels], lives as long as the model's tapes
    int observation;                   // D; 0: no observations
    slt_type observation_type;         // numbers or bits
    const slt_channel_scale *observed; // [observation] numbers standardised; NULL: read as they are
    int length;                        // L: positions 0..L-1
    const double *prior;               // [slots], over 1..K segments
    double mean_length;                // of training trajectories, for initial values; 0: not known
    bool fed_noise;                    // noise is fed (tests) instead of drawn
    bool segments_alone;               // is used for segments alone: no losses, no accuracy
} slt_model_data;

// the variables every model has; losses are 0 on a tape without them, and so may be what only they
// and the accuracy need
typedef struct {
    slt_var actions, observations;
    slt_var seen; // observations of companions, where the tape has a list of them; else 0
    slt_var loss, reconstruction, kl;
    slt_var counts;  // number of segments [trajectories,1], for models that want to know; else 0
    slt_var effects; // the action, `symbols` more where it changed what is observed; else 0
} slt_model_io;

// whose observations slot k of trajectory b decodes
typedef enum { SLT_COMPANION_NONE, SLT_COMPANION_OWN, SLT_COMPANION_OTHERS } slt_companions;

// some models read one step more, DONE: what is observed there. Where actions are symbols it is the
// last one (padding after it is one more, `symbols`); a vector is marked as none
typedef enum { SLT_DONE_NONE, SLT_DONE_FINAL, SLT_DONE_REPEATED } slt_done;

// what a model says about one trajectory of T steps; arrays have room for the tape's sizes
typedef struct {
    int true_count;    // in: the true number of segments, 0: unknown
    int length, slots; // T, without DONE; K, 0: no distribution of the number of segments
    int32_t *ids;      // [T] segment of every step
    int32_t *done_ids; // [T+1] the same with DONE, for models that read it
    bool has_done;     // done_ids are filled
    bool done_first;   // the scores are those with DONE, as the reference has them
    bool told_count;   // the true number of segments was used
    double *counts;    // [K] probability of 1..K segments
    float *confidence; // [T] of a boundary after step t, where ids change
    bool calibrated;   // confidence has its final meaning: nothing is to be calibrated
    float *ends;       // [T] probability that step t ends a segment; negative: not said
    int32_t *types;    // [T] kind of the segment of step t, the same in all trajectories; or NULL
    float *masks;      // [K][T] after halting, or NULL
    float *attention;  // [T][K], or NULL: not asked for, or the model has none
    const slt_vote_picture *vote; // NULL: no vote, or not asked for
    int code;                     // numbers of a segment's code; 0: the model has none
    const slt_real *codes;        // [K][code], valid until the next step; or NULL
    int slot_size;                // S, 0: the model shows no slots
    float *vectors;               // [K][S] the slots, or NULL: not asked for
    slt_real *head;               // [A or C] room for what is predicted at one step
    int reconstructed;            // steps whose action the model gives back
} slt_segmentation;

// what the user knows about the number of segments
typedef struct {
    int largest; // number; 0: not known
    bool known;  // something was said
    bool exact;  // a number or a histogram, not bounds or a mean alone
} slt_prior_shape;

enum { SLT_MODEL_OPTIONS = 4096, SLT_MODEL_VARS = 128 }; // bytes that hold any model's structs

typedef struct {
    const char *name, *summary;
    const char *training;   // "key=value ..." of the options of training; NULL: as they are
    const char *reference;  // the same for the profiles reference and paper
    const char *per_member; // options that `build` and the batches do not depend on: members of a
                            // population may differ in them; NULL: none
    int restarts;           // that a user wants who says nothing; 0: one run
    bool vectors;           // takes action vectors, too
    bool label_free;        // labels are never read, not even for the prior
    bool no_prior;          // knows nothing of a prior over the number of segments
    bool per_step;          // the KL term is in nats per true step, as the reconstruction is
    bool per_trajectory;    // the reconstruction is a mean over trajectories, not over steps
    const slt_option *(*rows)(void);
    slt_status (*profile)(void *options, const char *profile);    // default, reference, paper
    void (*resolve)(void *options, const slt_prior_shape *prior); // values left open; may be NULL
    int (*slots)(const void *options);                            // K
    int (*slot_size)(const void *options); // S; NULL: the slots are not shown
    bool (*padded)(const void *options);   // all L positions, not the true ones alone; NULL: never
    slt_companions (*companions)(const void *options);
    slt_done (*done)(const void *options);         // NULL: trajectories have no DONE
    bool (*fixed_companions)(const void *options); // at test time the same for all; NULL: never
    bool (*blind)(const void *options);            // never looks at observations; may be NULL
    bool (*any_length)(const void *options); // takes longer trajectories than in training; NULL:
                                             // never
    bool (*oracle)(const void *options);     // told the true number of segments; NULL: never
    void (*build)(slt_tape *tape, const void *options, const slt_model_data *data, bool with_loss,
                  void *vars);
    slt_model_io (*io)(const void *vars);
    void (*step)(const void *options, bool training, slt_step *step); // loss weights, noise
    void (*round)(slt_step *step);                                    // ends rounded; may be NULL
    // a start that cuts after the given symbols, after the initial values; may be NULL
    void (*start)(slt_store *store, int member, const int32_t *symbols, int count);
    // restarts may differ in what they see: 0 is the simplest of so many heads; NULL: one
    int (*inputs)(const void *options, const slt_model_data *data);
    void (*set_input)(slt_store *store, int member, int head);
    int (*get_input)(const slt_store *store, int member);
    void (*segment)(slt_tape *tape, int member, const void *options, const void *vars, int b,
                    slt_segmentation *out);
} slt_model_kind;

static inline bool slt_model_padded(const slt_model_kind *kind, const void *options) {
    return kind->padded && kind->padded(options);
}

// a loss that a model may not have: 0 then
static inline double slt_model_loss(const slt_tape *tape, int member, slt_var loss) {
    return loss ? (double)*slt_tape_value(tape, member, loss) : 0;
}

// rows by name; NULL when there is none
const slt_model_kind *slt_model_find(const char *name);
const slt_model_kind *slt_model_row(int index); // NULL after the last

#endif
